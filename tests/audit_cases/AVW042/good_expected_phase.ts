import { InitializedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const phases = new Map<string, string>();
export function install(server, logger) {
  server.setNotificationHandler(InitializedNotificationSchema, (notification, context) => {
    const phase = phases.get(context.sessionId);
    if (phase !== "init_sent") {
      logger.warn("unexpected_initialized_notification");
      return;
    }
    phases.set(context.sessionId, "active");
  });
}

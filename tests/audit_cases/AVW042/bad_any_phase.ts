import { InitializedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const phases = new Map<string, string>();
export function install(server) {
  server.setNotificationHandler(InitializedNotificationSchema, (notification, context) => { // expect: AVW042
    phases.set(context.sessionId, "active");
  });
}

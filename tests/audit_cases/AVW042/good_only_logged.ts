import { InitializedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

export function install(server) {
  server.setNotificationHandler(InitializedNotificationSchema, () => {
    console.error("a client is ready");
  });
}

import { Server } from "@modelcontextprotocol/sdk/server/index.js";

export class Files extends Server { // expect: AVW041
  constructor() {
    super({ name: "files", version: "1" }, { capabilities: {} });
  }
}

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

export class WeatherServer {
  private readonly capabilities = {
    tools: {},
    prompts: { listChanged: false }, // expect: AVW001
  };
  private server: Server;

  constructor() {
    this.server = new Server({ name: "weather", version: "1" }, { capabilities: this.capabilities });
    this.server.setRequestHandler(ListToolsRequestSchema, this.list.bind(this));
  }

  async list() {
    return { tools: [] };
  }
}

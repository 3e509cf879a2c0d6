import { ListRootsResultSchema } from "@modelcontextprotocol/sdk/types.js";

export async function readRoots(extra) {
  return await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema); // expect: AVW020
}

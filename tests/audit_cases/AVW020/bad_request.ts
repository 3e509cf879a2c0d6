export async function readRoots(extra) {
  return await extra.sendRequest({ method: "roots/list" }, ResultSchema); // expect: AVW020
}

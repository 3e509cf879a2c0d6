const KNOWN_VERSIONS = new Set(["2025-11-25", "2025-06-18", "2024-11-05"]);

const negotiate = (asked: string) => (KNOWN_VERSIONS.has(asked) ? asked : "2025-11-25");

class Own {
  begin(params) {
    return { protocolVersion: negotiate(params.protocolVersion), serverInfo: {}, capabilities: {} };
  }

  table() {
    return {
      initialize: (params) => this.begin(params), // expect: AVW032
      "tools/list": () => ({ tools: [] }),
    };
  }
}

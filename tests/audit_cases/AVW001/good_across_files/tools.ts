export const TOOLS = [{ name: "one", description: "One.", shape: {}, run: async () => ({ content: [] }) }];

Scalar.createApiReference("#app", {
  url: "/openapi.json",
  // Under whatever name the page was opened: the policy lets it call no other.
  servers: [{ url: location.origin, description: "This server" }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  defaultOpenAllTags: true,
  authentication: {
    preferredSecurityScheme: "apiKey",
    // An example: it opens nothing.
    securitySchemes: { apiKey: { value: "pk_live_ExampleOnly-PasteYourProjectsPublishableKey" } },
  },
});

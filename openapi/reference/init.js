Scalar.createApiReference("#app", {
  url: "/openapi.json",
  // The origin under which the page was opened: its policy allows requests to no other.
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
    // A placeholder that belongs to no project.
    securitySchemes: { apiKey: { value: "pk_live_ExampleOnly-PasteYourProjectsPublishableKey" } },
  },
});

// Draws the OpenAPI document. Nothing is validated elsewhere and nothing is taken from the address but a place in the page.
globalThis.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
  queryConfigEnabled: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  filter: true,
});

export default {
  // region server
  webServer: {
    command: 'npx pet-sandbox',
    url: 'http://127.0.0.1:4010/__sandbox/health',
  },
  // endregion
}

// A production build contains neither MSW nor the sandbox.
if (import.meta.env.DEV) {
  const { setupWorker } = await import('msw/browser')
  const { handlers } = await import('pet-sandbox/msw')
  await setupWorker(...handlers).start()
}
// The worker also has to answer the first requests of the application, so this import comes last.
await import('./app.ts')

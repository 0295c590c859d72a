// A production build leaves out MSW and the sandbox.
if (import.meta.env.DEV) {
  const { setupWorker } = await import('msw/browser')
  const { handlers } = await import('pet-sandbox/msw')
  await setupWorker(...handlers).start()
}
// Only now: the worker must answer the application's first requests, too.
await import('./app.ts')

import { setupWorker } from 'msw/browser'
import { handlers } from 'pet-sandbox/msw'

// First the worker, then the application: its first requests are to be answered, too.
await setupWorker(...handlers).start()
await import('../consumer/app.ts')

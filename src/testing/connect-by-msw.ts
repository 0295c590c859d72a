import { setupServer } from 'msw/node'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { strict, toHandlers } from '../transports/msw.ts'

// Exported for whoever bundles this module with the other line of MSW: handlers take sandboxes of their own copy alone.
export { createSandbox }

const server = setupServer()
const served = new Set<Sandbox>()

/** Lets MSW answer this process's own requests below `baseUrl`, until it is told to stop. */
export function connectByMsw(sandbox: Sandbox, baseUrl: string): { readonly stop: () => void } {
  if (served.size === 0) server.listen(strict)
  served.add(sandbox)
  server.use(...toHandlers(sandbox, { baseUrl }))

  return { stop: () => stop(sandbox) }
}

function stop(sandbox: Sandbox): void {
  served.delete(sandbox)
  if (served.size > 0) return
  server.resetHandlers()
  server.close()
}

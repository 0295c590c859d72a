import { setupServer } from 'msw/node'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { strict, toHandlers } from '../transports/msw.ts'

// Exported because a bundle with MSW 3 has its own copy of the engine, and handlers accept sandboxes of their own copy only.
export { createSandbox }

const server = setupServer()
const connected = new Set<Sandbox>()

/** Makes MSW answer the requests of this process below `baseUrl`, until `stop` is called. */
export function connectByMsw(sandbox: Sandbox, baseUrl: string): { readonly stop: () => void } {
  if (connected.size === 0) server.listen(strict)
  connected.add(sandbox)
  server.use(...toHandlers(sandbox, { baseUrl }))

  return { stop: () => stop(sandbox) }
}

function stop(sandbox: Sandbox): void {
  connected.delete(sandbox)
  if (connected.size > 0) return
  server.resetHandlers()
  server.close()
}

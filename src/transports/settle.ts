import { problems } from '../http/problem.ts'
import type { Mount, WorldRouter } from '../sandbox/router.ts'
import type { WebHandler } from './web.ts'

/** Resolves once all that has happened until now is saved; rejects when it cannot be. */
export type Settle = () => Promise<void>

/** Methods that change no records (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A router to mounts that save what may have changed records before they answer, and answer 500 when they cannot. */
export function savingRouter(
  router: Pick<WorldRouter, 'resolveMount'>,
  settle: Settle,
): Pick<WorldRouter, 'resolveMount'> {
  const settleOrRefuse = orRefuse(settle)
  const answering = ({ answer, ...mount }: Mount): Mount => ({
    ...mount,
    answer: (request) =>
      answer(SAFE.has(request.method) ? request : { ...request, settle: settleOrRefuse }),
  })

  return {
    resolveMount: (pathname, header) => {
      const mount = router.resolveMount(pathname, header)
      return mount && answering(mount)
    },
  }
}

/** The same for a Fetch handler that steers the sandbox. */
export function savingHandler(handler: WebHandler, settle: Settle): WebHandler {
  return {
    fetch: (request, peer) =>
      handler.fetch(
        request,
        SAFE.has(request.method) ? peer : { ...peer, settle: orRefuse(settle) },
      ),
  }
}

/** Rejects with the 500 of what cannot be saved. */
function orRefuse(settle: Settle): Settle {
  return () =>
    settle().catch((error) => {
      const why = error instanceof Error ? error.message : String(error)
      throw problems.internalError(
        `What the request changed could not be saved, and was undone. ${why}`,
      )
    })
}

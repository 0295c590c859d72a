import { problems } from '../http/problem.ts'
import type { Mount, WorldRouter } from '../sandbox/router.ts'
import type { WebHandler } from './web.ts'

/** Saves all changes so far. Resolves when they are saved, and rejects when they cannot be saved. */
export type SaveChanges = () => Promise<void>

/** Methods that change no records (RFC 9110, section 9.2.1; QUERY is safe, too). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'])

/** Wraps a router: requests that may change records are saved before their response, or get a 500. */
export function savingRouter(
  router: Pick<WorldRouter, 'resolveMount'>,
  saveChanges: SaveChanges,
): Pick<WorldRouter, 'resolveMount'> {
  const saveOrReject = rejectWithProblem(saveChanges)
  const withSaving = ({ answer, ...mount }: Mount): Mount => ({
    ...mount,
    answer: (request) =>
      answer(SAFE.has(request.method) ? request : { ...request, saveChanges: saveOrReject }),
  })

  return {
    resolveMount: (pathname, header) => {
      const mount = router.resolveMount(pathname, header)
      return mount && withSaving(mount)
    },
  }
}

/** Wraps the Fetch handler of the control interface in the same way. */
export function savingHandler(handler: WebHandler, saveChanges: SaveChanges): WebHandler {
  return {
    fetch: (request, peer) =>
      handler.fetch(
        request,
        SAFE.has(request.method) ? peer : { ...peer, saveChanges: rejectWithProblem(saveChanges) },
      ),
  }
}

/** Rejects with a 500 when the changes cannot be saved. */
export function rejectWithProblem(saveChanges: SaveChanges): SaveChanges {
  return () =>
    saveChanges().catch((error) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw problems.internalError(
        `The changes of the request could not be saved and were undone. ${reason}`,
      )
    })
}

import { type Problem, problems } from '../problem.ts'
import { toResponse } from '../sandbox/fetch.ts'
import type { Place, World } from '../sandbox/world.ts'
import type { WebHandler } from './web.ts'

/** Resolves once all that has happened until now is saved; rejects when it cannot be. */
export type Settle = () => Promise<void>

/** Methods that change no records (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A world's places, which save what may have changed records before they answer, and answer 500 when they cannot. */
export function settling(world: World, settle: Settle): Pick<World, 'at'> {
  const settleOrRefuse = (): Promise<void> =>
    settle().catch((error) => {
      throw unsettled(UNDONE, error)
    })
  const answering = ({ answer, ...place }: Place): Place => ({
    ...place,
    answer: (ask) => answer(SAFE.has(ask.method) ? ask : { ...ask, settle: settleOrRefuse }),
  })

  return {
    at: (pathname, header) => {
      const place = world.at(pathname, header)
      return place && answering(place)
    },
  }
}

/** The same for a Fetch handler that steers the sandbox. */
export function settlingWeb(handler: WebHandler, settle: Settle): WebHandler {
  return {
    fetch: async (request, peer) => {
      const response = await handler.fetch(request, peer)
      if (SAFE.has(request.method) || response.status >= 400) return response
      return settle().then(
        () => response,
        (error) => toResponse(unsettled(AT_RISK, error).toReply(), request),
      )
    },
  }
}

function unsettled(consequence: string, error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error)
  return problems.internalError(`${consequence} ${why}`)
}

const UNDONE = 'What the request changed could not be saved, and was undone.'

/** What steers the sandbox changes more than records, and is not undone. */
const AT_RISK = 'What the request did is not kept, and lost if the sandbox ends now.'

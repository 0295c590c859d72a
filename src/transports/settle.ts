import { type Problem, problems } from '../problem.ts'
import { toResponse } from '../sandbox/fetch.ts'
import type { Place, World } from '../sandbox/world.ts'
import type { WebHandler } from './web.ts'

/** Resolves once all that has happened until now is kept; rejects when it cannot be. */
export type Settle = () => Promise<void>

/** Methods that change no records (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A world's places, which acknowledge what may have changed records only once it is kept, and answer 500 when it cannot be. */
export function settling(world: World, settle: Settle): Pick<World, 'at'> {
  const answering = ({ answer, ...place }: Place): Place => ({
    ...place,
    answer: async (ask) => {
      const reply = await answer(ask)
      if (SAFE.has(ask.method) || reply.status >= 400) return reply
      return settle().then(
        () => reply,
        (error) => world.refuseUnread(unsettled(error)),
      )
    },
  })

  return {
    at: (pathname) => {
      const place = world.at(pathname)
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
        (error) => toResponse(unsettled(error).toReply(), request),
      )
    },
  }
}

function unsettled(error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error)
  return problems.internalError(
    `What the request did is not kept, and lost if the sandbox ends now. ${why}`,
  )
}

import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import type { CoreRequest } from '../http/message.ts'
import type { Arrival } from './served.ts'
import type { Settings } from './settings.ts'

/** The value of the body of a request before it is checked, and the request, whose body can be read again. */
export async function readAhead<Arrived extends Pick<Arrival, 'request'>>(
  arrival: Arrived,
  match: Match,
  { bodyLimit }: Pick<Settings, 'bodyLimit'>,
): Promise<{ readonly arrival: Arrived; readonly body: unknown }> {
  const request = withKeptBody(arrival.request, bodyLimit)
  const { input } = await read(match, request, {
    bodyLimit,
    validation: 'off',
    unknownProperties: 'keep',
  })
  return { arrival: { ...arrival, request }, body: input?.body }
}

/** A request whose body is read once from its transport. */
function withKeptBody(request: CoreRequest, most: number): CoreRequest {
  let kept: Promise<Uint8Array | undefined> | undefined
  return {
    ...request,
    body: async (limit) => {
      kept ??= request.body(most)
      const bytes = await kept
      return bytes && bytes.length > limit ? undefined : bytes
    },
  }
}

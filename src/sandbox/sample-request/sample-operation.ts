import type { Operation } from '../../contract/contract.ts'
import { encodePart, worldPath } from '../../http/paths.ts'
import { createTrial } from '../trial.ts'
import type { World } from '../world.ts'
import { OWN_WORLD } from '../worlds.ts'
import { buildRequest } from './build-request.ts'
import { recordId } from './record-id.ts'
import type { Pair } from './sample-request.ts'
import { createSampler } from './sampler.ts'

/** A valid request for an operation, as values of a form. */
export interface OperationRequest {
  readonly method: string
  /** The path below the origin of the server, with the base path and with the values of its parameters. */
  readonly path: string
  readonly query: readonly Pair[]
  /** All headers but `Content-Type`, with the credentials and the cookies. */
  readonly headers: readonly Pair[]
  /** The text of the body. */
  readonly body?: string
  readonly contentType?: string
}

/** An origin for the URL that is taken apart. */
const ORIGIN = 'http://localhost'

/** A valid request for an operation; `undefined` when no valid value for something that it requires is found. */
export async function sampleOperation(
  world: World,
  operation: Operation,
  key: string | undefined,
): Promise<OperationRequest | undefined> {
  const { contract, name } = world
  const trial = createTrial(world)
  const built = await buildRequest(operation, {
    contract,
    origin: ORIGIN + (name === OWN_WORLD ? '' : worldPath(name)),
    key,
    sampler: createSampler(),
    recordId: (...given) => recordId(trial, ...given),
  })
  if (!built) return undefined
  const { method, url, headers, cookies, user, body } = built
  const { pathname, searchParams } = new URL(url)
  const cookie = cookies.map(([one, value]) => `${one}=${encodePart(value)}`).join('; ')

  return {
    method,
    path: pathname,
    query: [...searchParams],
    headers: [
      ...(user === undefined ? [] : [['Authorization', `Basic ${btoa(user)}`] as const]),
      ...headers,
      ...(cookie === '' ? [] : [['Cookie', cookie] as const]),
    ],
    ...(body && { body: body.text, contentType: body.mediaType }),
  }
}

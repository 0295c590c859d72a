import type { Operation } from '../contract/contract.ts'
import { worldPath } from '../http/paths.ts'
import {
  buildRequest,
  headersOf,
  type OutgoingRequest,
  type RequestContext,
} from '../requests/outgoing-request.ts'
import type { TextPair } from '../requests/serialize-parameter.ts'
import { aliasOf } from '../resources/views/aliases.ts'
import { createTrial, type Trial } from './trial.ts'
import type { World } from './world.ts'
import { OWN_WORLD } from './worlds.ts'

/** A valid request for an operation, as values of a form. */
export interface OperationRequest {
  readonly method: string
  /** The path below the origin of the server, with the base path and with the values of its parameters. */
  readonly path: string
  readonly query: readonly TextPair[]
  /** All headers but `Content-Type`, with the credentials and the cookies. */
  readonly headers: readonly TextPair[]
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
  const origin = ORIGIN + (name === OWN_WORLD ? '' : worldPath(name))
  const built = await sampleRequest(operation, createTrial(world), { contract, origin, key })
  if (!built) return undefined
  const { body, ...request } = built
  const { pathname, searchParams } = new URL(request.url)

  return {
    method: request.method,
    path: pathname,
    query: [...searchParams],
    headers: headersOf(request),
    ...(body && { body: body.text, contentType: body.type }),
  }
}

/** A valid request for an operation, about records that exist; `undefined` when there is none. */
export function sampleRequest(
  operation: Operation,
  trial: Pick<Trial, 'binding' | 'firstId' | 'resourcesAt'>,
  context: Omit<RequestContext, 'idFor'>,
): Promise<OutgoingRequest | undefined> {
  const idFor: RequestContext['idFor'] = (...given) => recordId(trial, operation, ...given)
  return buildRequest(operation, { ...context, idFor })
}

/**
 * The id of the first record that an operation is about, or of the first one above it, for the path parameter that contains it;
 * `undefined` for another one. `known` are the values of the parameters before it in the path.
 */
async function recordId(
  trial: Pick<Trial, 'binding' | 'firstId' | 'resourcesAt'>,
  operation: Operation,
  parameter: string,
  known: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const binding = trial.binding(operation)
  if (binding.action === 'stateless') return undefined
  const { resource } = binding
  const { path, parents } = aliasOf(binding)?.at ?? resource
  const isOwn = resource.idParameter === parameter && !parents?.includes(parameter)
  const found = isOwn
    ? resource
    : trial.resourcesAt((one) => path.startsWith(`${one}/{${parameter}}/`))[0]
  if (!found || found.parents?.some((name) => !Object.hasOwn(known, name))) return undefined
  const id = await trial.firstId(found, known)

  return id === undefined ? undefined : String(id)
}

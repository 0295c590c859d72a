import type { Operation } from '../contract/contract.ts'
import { read } from '../contract/read.ts'
import type { Match } from '../contract/router.ts'
import type { CoreRequest } from '../http/message.ts'
import { BODY_ERROR, type InputError, Problem } from '../http/problem.ts'
import { SandboxWorld } from './sandbox-world.ts'
import type { World } from './world.ts'

/** A request that is checked and not sent. */
export interface CheckedRequest {
  /** Below the base path, percent-encoded. */
  readonly path: string
  /** Without the question mark, percent-encoded. */
  readonly query?: string
  readonly headers?: readonly (readonly string[])[]
  readonly contentType?: string
  /** Absent when the body is not checked. */
  readonly body?: string
}

/** What is wrong with the input of a request for an operation, by the same check as that of the API. */
export async function checkRequest(
  world: World,
  operation: Operation,
  checked: CheckedRequest,
): Promise<readonly InputError[]> {
  const { service } = SandboxWorld.handleOf(world)().state
  const { settings, access, router } = service
  const request = toRequest(operation, checked)
  try {
    const match = router.match(request.method, request.path, request)
    if (match.operation !== operation) {
      return [{ location: 'path', message: `leads to ${match.operation.id}` }]
    }
    const { problem } = await read(checkedPart(match, checked), request, {
      maxNotes: 0,
      bodyLimit: settings.bodyLimit,
      unknownProperties: settings.unknownProperties,
      credentials: access,
    })
    return problem ? errorsOf(problem) : []
  } catch (error) {
    if (error instanceof Problem) return errorsOf(error)
    throw error
  }
}

/** A match whose operation takes no body, when the body is not checked. Its own properties may be computed. */
function checkedPart(match: Match, { body }: CheckedRequest): Match {
  if (body !== undefined || !match.operation.body) return match
  return { ...match, operation: Object.create(match.operation, { body: { value: undefined } }) }
}

/** A problem without a place in the input is one of the whole request, such as an unknown media type. */
function errorsOf({ errors, message, status }: Problem): readonly InputError[] {
  if (errors.length > 0 && errors !== BODY_ERROR.errors) return errors
  return [{ location: status === 404 ? 'path' : 'body', message }]
}

function toRequest({ method }: Operation, checked: CheckedRequest): CoreRequest {
  const { path, query = '', headers: sent = [], contentType, body = '' } = checked
  const typed = contentType === undefined ? [] : [['content-type', contentType] as const]
  const headers = [...sent, ...typed]
  const bytes = new TextEncoder().encode(body)

  return {
    method,
    base: '',
    path,
    query,
    header: (name) => {
      const values = headers.filter(([given = '']) => given.toLowerCase() === name)
      return values.length === 0 ? undefined : values.map(([, value = '']) => value).join(', ')
    },
    headers: () => headers.flat(),
    body: async (limit) => (bytes.length > limit ? undefined : bytes),
  }
}

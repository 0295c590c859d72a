import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { CONTROL_PATH, chooseWorld, maskedPath } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { UsageError } from '../validation/usage-error.ts'
import { splitTarget } from './address.ts'
import { serveWeb, type WebHandler } from './web.ts'
import { send } from './write-response.ts'

/** The parts of a path that `new Request` rewrites: dot segments, backslashes and hash signs. */
const NORMALIZED = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Whether a request is for the control interface. */
export function isControl(request: IncomingMessage): boolean {
  return below(request) !== undefined
}

/** Called with a request that was refused before the control interface. `target` and `message` contain no API key. */
type OnRefused = (response: CoreResponse, target: string, message: string) => void

/** Answers a request for the control interface. A path that `new Request` would rewrite gets a 400. */
export function serveControl(
  control: WebHandler,
  request: IncomingMessage,
  response: ServerResponse,
  onRefused: OnRefused,
): void {
  const path = below(request) ?? ''
  if (!NORMALIZED.test(path)) return void serveWeb(control, request, response)
  const local = path.replaceAll(/[\\#]/g, '/')
  const { nameError } = chooseWorld(local)
  const refusal = refuseNormalizedPath(path, nameError).toResponse()
  onRefused(refusal, CONTROL_PATH + maskedPath(local), nameError?.message ?? NO_SUCH_ADDRESS)
  send(refusal, response)
}

function below({ url = '' }: IncomingMessage): string | undefined {
  const [path] = splitTarget(url)
  return pathBelow(CONTROL_PATH, path)
}

const NO_SUCH_ADDRESS = 'a path must not contain \\ or #, or a segment . or ...'

/** The 400 for such a path. Without it, a request for a world named `..` would change the default world. */
function refuseNormalizedPath(path: string, nameError: UsageError | undefined): Problem {
  return nameError
    ? problems.invalidUsage(nameError)
    : problems.invalidRequest(`There is nothing at ${CONTROL_PATH}${path}: ${NO_SUCH_ADDRESS}`)
}

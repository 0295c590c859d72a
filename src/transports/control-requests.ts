import type { IncomingMessage, ServerResponse } from 'node:http'
import { CONTROL_PATH, maskedPath } from '../http/control-path.ts'
import { type CoreResponse, pathBelow } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { chooseWorld } from '../http/world-path.ts'
import type { UsageError } from '../validation/usage-error.ts'
import { splitTarget } from './address.ts'
import { send } from './express.ts'
import { serveWeb, type WebHandler } from './web.ts'

/** What `new Request` would rewrite in a path: dots between slashes, a backslash, and a hash sign. */
const FOLDED = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Whether a request is for the control interface. */
export function isControl(request: IncomingMessage): boolean {
  return below(request) !== undefined
}

/** Told of a request that was refused before the control interface saw it. No API key is in `target` and `message`. */
type OnRefused = (response: CoreResponse, target: string, message: string) => void

/** Answers a request for the control interface. One whose path `new Request` would rewrite gets a 400. */
export function serveControl(
  control: WebHandler,
  request: IncomingMessage,
  response: ServerResponse,
  onRefused: OnRefused,
): void {
  const path = below(request) ?? ''
  if (!FOLDED.test(path)) return void serveWeb(control, request, response)
  const local = path.replaceAll(/[\\#]/g, '/')
  const { fault } = chooseWorld(local)
  const reply = refusalOfFolded(path, fault).toResponse()
  onRefused(reply, CONTROL_PATH + maskedPath(local), fault?.message ?? NO_SUCH_ADDRESS)
  send(reply, response)
}

function below({ url = '' }: IncomingMessage): string | undefined {
  const [path] = splitTarget(url)
  return pathBelow(CONTROL_PATH, path)
}

const NO_SUCH_ADDRESS = 'no address here has \\ or # in it, nor . or .. between slashes.'

/** The 400 of such a path: rewritten, what is asked of a world named `..` would be done to the sandbox's own. */
function refusalOfFolded(path: string, fault: UsageError | undefined): Problem {
  return fault === undefined
    ? problems.invalidRequest(`There is nothing at ${CONTROL_PATH}${path}: ${NO_SUCH_ADDRESS}`)
    : problems.invalidUsage(fault)
}

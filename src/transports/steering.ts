import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathBelow } from '../message.ts'
import { type Problem, problems } from '../problem.ts'
import { chooseWorld } from '../world-name.ts'
import { splitTarget } from './address.ts'
import { send } from './express.ts'
import { serveWeb, type WebHandler } from './web.ts'

/** Where the control interface is. */
const CONTROL_PATH = '/__sandbox'

/** What `new Request` would rewrite in a path: dots between slashes, a backslash, and a hash sign. */
const FOLDED = /[\\#]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** Whether a request is for the control interface. */
export function isControl(request: IncomingMessage): boolean {
  return below(request) !== undefined
}

/** Answers a request for the control interface. One whose path `new Request` would rewrite gets a 400. */
export function steer(
  control: WebHandler,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const fault = foldedIn(below(request) ?? '')
  if (fault) send(fault.toReply(), response)
  else void serveWeb(control, request, response)
}

function below({ url = '' }: IncomingMessage): string | undefined {
  const [path] = splitTarget(url)
  return pathBelow(CONTROL_PATH, path)
}

/** The 400 of such a path: rewritten, what is asked of a world named `..` would be done to the sandbox's own. */
function foldedIn(path: string): Problem | undefined {
  if (!FOLDED.test(path)) return undefined
  const { fault } = chooseWorld(path.replaceAll('\\', '/'))
  if (fault !== undefined) return problems.invalidRequest(fault, 'invalid_world')

  return problems.invalidRequest(
    `There is nothing at ${CONTROL_PATH}${path}: no address here has \\ or # in it, nor . or .. between slashes.`,
  )
}

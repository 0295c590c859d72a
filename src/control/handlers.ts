import type { Operation } from '../contract/contract.ts'
import type { Input } from '../contract/input.ts'
import type { Inputs } from '../generated/control-types.ts'
import type { CoreResponse } from '../http/message.ts'
import type { Awaitable } from '../records/awaitable.ts'
import type { HostedWorlds } from '../sandbox/world-host.ts'
import { access } from './access.ts'
import { accounts } from './accounts.ts'
import type { Call, Handler, Handlers, WorldsOperation } from './call.ts'
import { clock } from './clock.ts'
import { journal } from './journal.ts'
import { lifecycle } from './lifecycle.ts'
import { operations } from './operations.ts'
import { outcomes } from './outcomes.ts'
import { records } from './records.ts'
import { report } from './report.ts'
import { worlds } from './worlds.ts'

const handlers: Handlers<Exclude<keyof Inputs, WorldsOperation>> = {
  ...lifecycle,
  ...operations,
  ...clock,
  ...outcomes,
  ...records,
  ...access,
  ...accounts,
  ...journal,
  ...report,
}

const byOperation = new Map<string, Handler<never>>(Object.entries(handlers))

/** The handler of an operation on a world. */
export function handlerOf({
  id,
}: Operation): (
  call: Omit<Call, 'input'> & { readonly input: Input },
) => ReturnType<Handler<never>> {
  const handler = byOperation.get(id)
  if (!handler) throw new TypeError(`${id} has no handler`)
  // The types of the inputs are generated from the schemas that validated this input.
  return ({ input, ...call }) => handler({ ...call, input: input as never })
}

type WorldsHandler = (worlds: HostedWorlds, input: never) => Awaitable<CoreResponse>

const worldsByOperation = new Map<string, WorldsHandler>(Object.entries(worlds))

/** The handler of an operation on the worlds of a sandbox; `undefined` for another operation. */
export function worldsHandlerOf({
  id,
}: Operation): ((worlds: HostedWorlds, input: Input) => Awaitable<CoreResponse>) | undefined {
  const handler = worldsByOperation.get(id)
  return handler && ((given, input) => handler(given, input as never))
}

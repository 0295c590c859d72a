import type { Operation } from '../contract/contract.ts'
import type { Input } from '../contract/input.ts'
import type { Inputs } from '../generated/control-types.ts'
import { access } from './access.ts'
import { accounts } from './accounts.ts'
import type { Call, Handler, Handlers } from './call.ts'
import { clock } from './clock.ts'
import { journal } from './journal.ts'
import { lifecycle } from './lifecycle.ts'
import { operations } from './operations.ts'
import { outcomes } from './outcomes.ts'
import { records } from './records.ts'
import { report } from './report.ts'
import { worlds } from './worlds.ts'

const handlers: Handlers<keyof Inputs> = {
  ...lifecycle,
  ...operations,
  ...clock,
  ...outcomes,
  ...records,
  ...access,
  ...accounts,
  ...worlds,
  ...journal,
  ...report,
}

const byOperation = new Map<string, Handler<never>>(Object.entries(handlers))

/** The handler of an operation. */
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

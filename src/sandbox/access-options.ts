import { Keys, type KeysSnapshot, type QuotaWindows } from '../access/keys.ts'
import { AUTH_MODES, type AuthMode } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'

/** The plans and keys of the document, with those of the options. */
export function resolveKeys({
  contract,
  plans,
  keys,
}: {
  readonly contract: Pick<Contract, 'sandbox'>
  readonly plans: Readonly<Record<string, QuotaWindows>>
  readonly keys: Readonly<Record<string, string>>
}): KeysSnapshot {
  const documented = contract.sandbox ?? {}
  const resolved = new Keys({
    plans: Object.entries(documented.plans ?? {}).map(([name, windows]) => ({ name, ...windows })),
    keys: Object.entries(documented.keys ?? {}),
  })
  for (const [name, windows] of Object.entries(plans)) resolved.setPlan(name, windows)
  for (const [key, plan] of Object.entries(keys)) resolved.setKey(key, plan)

  return resolved.snapshot()
}

/** The mode of the option. `true` is that of the document. Throws a UsageError for another value. */
export function resolveAuth(given: unknown, { sandbox }: Pick<Contract, 'sandbox'>): AuthMode {
  if (given === true) return sandbox?.auth ?? 'any'
  if (given === false) return 'off'
  const mode = AUTH_MODES.find((one) => one === given)
  if (mode) return mode
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option auth',
    ...unknownName('mode', String(given), AUTH_MODES),
  })
}

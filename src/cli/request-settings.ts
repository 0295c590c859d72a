import { UNKNOWN_IDS, type UnknownIds, VALIDATIONS, type Validation } from '../contract/input.ts'
import { shortened, UsageError, unknownName } from '../validation/usage-error.ts'

const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

const SIZE = /^(\d+(?:\.\d+)?) *([kmg]?i?b)?$/i

/** A size such as `10mb`, or in bytes. A kilobyte is 1,024 bytes, as in the limits of other servers. */
export function bodyLimit(value: unknown, name: string): number {
  const [, amount, unit = 'b'] = SIZE.exec(String(value)) ?? []
  const bytes = Math.floor(Number(amount) * (UNITS[unit.toLowerCase().replace('i', '')] ?? 1))
  if (Number.isSafeInteger(bytes) && bytes >= 1) return bytes
  throw new UsageError({
    code: 'invalid_setting',
    task: `use ${name}`,
    reason: `it must be a size (got ${shortened(String(value))})`,
    help: 'Write it as 10mb, 512kb, or as a number of bytes.',
  })
}

export function validation(value: unknown, name: string): Validation {
  return oneOf(VALIDATIONS, value, name)
}

/** A number is possible, because YAML reads `unknownIds: 404` as one. */
export function unknownIds(value: unknown, name: string): UnknownIds {
  return oneOf(UNKNOWN_IDS, String(value), name)
}

function oneOf<Mode extends string>(modes: readonly Mode[], value: unknown, name: string): Mode {
  const mode = modes.find((one) => one === value)
  if (mode) return mode
  throw new UsageError({
    code: 'invalid_setting',
    task: `use ${name}`,
    ...unknownName('mode', String(value), modes),
  })
}

import type { Contract } from '../../contract/contract.ts'
import { UsageError } from '../../validation/usage-error.ts'

/** The number of addresses that are tried instead of a wrong one. */
const MAX_ALTERNATIVES = 3

/** The base address without a slash at its end. Throws a `UsageError` for an invalid address. */
export function baseOf(target: string): string {
  const address = URL.canParse(target) ? new URL(target) : undefined
  if (address && /^https?:$/.test(address.protocol) && !address.search && !address.hash) {
    return address.href.replace(/\/+$/, '')
  }
  throw new UsageError({
    code: 'invalid_target',
    task: `verify "${target}"`,
    reason: 'it is not a base URL',
    help: 'Write it as https://api.example.com/v1.',
  })
}

/** Base addresses with the same origin that can be correct when `base` is wrong. */
export function alternatives(base: string, { basePath, operations }: Contract): string[] {
  const { origin, pathname } = new URL(base)
  const path = pathname.replace(/\/+$/, '')
  const ends = operations.map((one) => one.path).filter((end) => path.endsWith(end))
  const paths = [
    ...ends.map((end) => path.slice(0, -end.length)),
    basePath,
    path + basePath,
    path.replace(/\/[^/]*$/, ''),
  ]
  const others = paths.filter((one) => one !== path).map((one) => origin + one)

  return [...new Set(others)].slice(0, MAX_ALTERNATIVES)
}

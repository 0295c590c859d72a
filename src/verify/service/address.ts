import type { Contract } from '../../contract/contract.ts'
import { UsageError } from '../../validation/usage-error.ts'

/** Addresses that are tried in place of a wrong one. */
const TRIES = 3

/** The base address without the slash at its end. Throws a `UsageError` for what is no address. */
export function baseOf(target: string): string {
  const address = URL.canParse(target) ? new URL(target) : undefined
  if (address && /^https?:$/.test(address.protocol) && !address.search && !address.hash) {
    return address.href.replace(/\/+$/, '')
  }
  throw new UsageError(
    'invalid_target',
    `Cannot verify "${target}": it is no base address. Write it as https://api.example.com/v1.`,
  )
}

/** Base addresses of the same origin that may be the right one, when a service is not at `base`: what the document says comes first. */
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

  return [...new Set(others)].slice(0, TRIES)
}

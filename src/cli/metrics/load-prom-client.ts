import type * as PromClient from 'prom-client'
import { UsageError } from '../../validation/usage-error.ts'
import { systemErrorCode } from '../system-error.ts'

/** Loads `prom-client`, which only servers with metrics need. Rejects with a UsageError when it is not installed. */
export async function loadPromClient(): Promise<typeof PromClient> {
  try {
    return await import('prom-client')
  } catch (cause) {
    if (systemErrorCode(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new UsageError({
      code: 'missing_package',
      task: 'serve metrics',
      reason: 'the package prom-client is not installed',
      help: 'Run: npm install prom-client',
      cause,
    })
  }
}

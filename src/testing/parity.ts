import type { MswVersion } from './bundle.ts'
import { openPage } from './page.ts'
import { type ReplayResult, replay, type Trace } from './replay.ts'
import { recordParityTrace } from './trace.ts'

/** The parity trace, and its result in process, with which the other transports are compared. */
export interface ParityReference {
  readonly trace: Trace
  readonly inProcess: ReplayResult
}

export async function createParityReference(): Promise<ParityReference> {
  const trace = await recordParityTrace()
  return { trace, inProcess: await replay(trace, async (sandbox) => sandbox.fetch) }
}

/** Replays a trace through MSW's Service Worker in a page without `eval`. */
export async function replayInPage(
  trace: Trace,
  version: MswVersion,
): Promise<{ readonly result: ReplayResult; readonly pageErrors: readonly string[] }> {
  const { page, pageErrors, close } = await openPage(version)
  try {
    return { result: await page.evaluate((given) => sandboxPage.replay(given), trace), pageErrors }
  } finally {
    await close()
  }
}

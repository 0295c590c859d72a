import { isDeepStrictEqual } from 'node:util'

// A tour asks the sandbox at `SANDBOX` step by step, and prints how many steps there are and which ones fail.

const failed = []
let steps = 0

/** Runs one step, and goes on when it fails. */
export async function step(text, run) {
  steps += 1
  try {
    await run()
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    failed.push(`${text}: ${reason}`)
  }
}

export function equal(actual, expected) {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`)
}

/** Fails unless a call is refused with a status, and a code if one is given. */
export async function refused(call, status, code) {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  )
  equal([error?.status ?? error?.statusCode, code && error?.code], [status, code])
}

export function report() {
  // Otherwise, the process would end when the sandbox closes a connection that a library has left open: after 75 seconds.
  process.stdout.write(JSON.stringify({ steps, failed }), () => process.exit())
}

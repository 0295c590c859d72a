// Runs `pet-sandbox verify` against a server.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { KEY } from '../requests/credentials.mjs'

const COMMAND = resolve('bin/pet-sandbox.js')
const TIMEOUT = 180_000
const MAX_OUTPUT = 256 * 1024 * 1024

/** So many requests that no check is left out. */
const requestsFor = (operations) => 200 + 60 * operations.length

/**
 * `{ checks, findings, exercised, of }`, or `{ unusable }` with the reason. `findings` are the failed checks. An operation is
 * exercised when at least one check of it ran.
 */
export async function runVerify(url, file, operations) {
  const budget = requestsFor(operations)
  const args = ['verify', url, file, '--allow-writes', '--json', '--key', KEY, '--budget', budget]
  const { stdout, stderr } = await run([COMMAND, ...args.map(String)])
  const result = parsed(stdout)
  if (!result || result.unusable !== undefined)
    return { unusable: result?.unusable ?? oneLine(stderr || stdout || 'no output') }

  const ran = result.checks.filter(({ status }) => status !== 'left-out')
  const exercised = new Set(ran.flatMap(({ operation }) => operation ?? []))
  return {
    checks: ran.length,
    findings: ran.filter(({ status }) => status === 'failed'),
    exercised: Math.min(exercised.size, operations.length),
    of: operations.length,
  }
}

function run(args) {
  const options = {
    timeout: TIMEOUT,
    maxBuffer: MAX_OUTPUT,
    env: { ...process.env, NO_COLOR: '1' },
  }
  return new Promise((finish) => {
    // A failed check is an exit code, which is no failure here.
    execFile(process.execPath, args, options, (error, stdout, stderr) =>
      finish({ stdout, stderr: error?.killed ? `no result in ${TIMEOUT / 1000} s` : stderr }),
    )
  })
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 300)
}

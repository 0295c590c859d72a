// A process that runs the built command line many times, one command after the other: most of what a command of its own
// process takes is its start. A message says what to run; the answer is its exit code, and ends both outputs.
import process from 'node:process'
import { run } from '../../dist/cli.js'

const ROOT = process.cwd()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** How often is looked whether a command has ended, in milliseconds. */
const PAUSE = 2

process.on('message', async ({ args, cwd, env, end }) => {
  process.chdir(cwd)
  setEnvironment(env)
  process.exitCode = undefined
  const before = activeResources()
  const code = await run(args).then(
    () => process.exitCode ?? 0,
    (error) => {
      console.error(error)
      return 1
    },
  )
  // A process of its own would go on for as long as anything keeps it.
  while (activeResources() > before) await pause()
  process.chdir(ROOT)
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  process.stdout.write(end)
  process.stderr.write(end)
  process.send({ code: process.exitCode ?? code })
})

function setEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** How many timers, sockets, files and the like keep this process from its end. */
function activeResources() {
  return process.getActiveResourcesInfo().length
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, PAUSE).unref())
}

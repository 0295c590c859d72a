// A process that runs the built command line many times, one command after the other, because starting a process takes most
// of a command's time. A message contains the command. After the command, the host writes the end marker to both outputs and
// sends the exit code.
import process from 'node:process'
import { run } from '../../dist/cli.js'

const ROOT = process.cwd()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
/** The interval in milliseconds at which the host checks whether a command has ended. */
const POLL_INTERVAL = 2

process.on('message', async ({ args, cwd, env, endMarker }) => {
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
  // A separate process would run until nothing keeps its event loop alive.
  while (activeResources() > before) await pause()
  process.chdir(ROOT)
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  process.stdout.write(endMarker)
  process.stderr.write(endMarker)
  process.send({ code: process.exitCode ?? code })
})

// A command that never ends must not survive the tests.
process.on('disconnect', () => process.exit())

function setEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

/** The number of timers, sockets, files and other resources that keep the event loop alive. */
function activeResources() {
  return process.getActiveResourcesInfo().length
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL).unref())
}

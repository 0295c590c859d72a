import { Command, Option } from 'commander'
import { contract as shippedContract } from '../generated/contract.ts'
import { collect } from './collect.ts'
import { listen, stopOnSignal } from './listen.ts'
import { painter } from './log.ts'
import { refuseCommand, warnOfVariables } from './misspelt.ts'
import { openServer } from './open-server.ts'
import { LOGS, type Log } from './read-setting.ts'
import { resolveSettings, type ServeSettings } from './settings.ts'
import { configSource, environmentSource, flagSource } from './sources.ts'
import { stateLine } from './state/state-line.ts'
import { startLine, welcome } from './welcome.ts'

/** What the options leave to be said. */
export const SERVE_NOTES: string = `
Settings come from, later wins: the defaults, the configuration file, the environment (PET_SANDBOX_PORT,
PET_SANDBOX_PLANS="free=5/100 pro=9/900", PET_SANDBOX_QUOTA=false, …) and the flags.

Examples:
  pet-sandbox                                   the ${shippedContract.title} on http://127.0.0.1:4010/v1
  pet-sandbox --plan free=5/100                 a quota that is quickly spent
  pet-sandbox --force rate-limited              a 429 for every request
  pet-sandbox serve books.yaml --port 0         your own API, on any free port`

/** `pet-sandbox serve`: the sandbox on HTTP, until it is stopped. */
export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve the API (the default command)')
    .argument('[openapi]', `an OpenAPI document; the ${shippedContract.title} when left out`)
    .allowExcessArguments()

  return withServeOptions(command)
    .addHelpText('after', SERVE_NOTES)
    .action(async (openapi: string | undefined, _options: object, command: Command) => {
      refuseCommand(command)
      warnOfVariables(process.env)
      const flags = flagSource(openapi, command)
      const config = await configSource(command.opts().config)
      await serve(resolveSettings([config, environmentSource(process.env), flags]))
    })
}

/** The options of a command that serves; `defaults` are those that differ from one to the other. */
export function withServeOptions(
  command: Command,
  defaults: { readonly port: string; readonly log: Log } = { port: '4010', log: 'pretty' },
): Command {
  return command
    .option('--port <number>', `port to listen on, 0 for any free one (default: ${defaults.port})`)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--public-url <url>', 'address that clients use behind a proxy; links start with it')
    .option(
      '--trust-proxy <address>',
      'count X-Forwarded-* headers of this proxy, as loopback or 10.0.0.0/8; repeatable',
      collect,
    )
    .option('--records <number>', 'records that each collection starts with (default: 50)')
    .option('--seed <number>', 'the same seed gives the same records (default: 1)')
    .option('--plan <name=minute/day>', 'what a plan allows, as free=60/1000; repeatable', collect)
    .option('--key <key=plan>', 'a further API key, as my_key=pro; repeatable', collect)
    .option(
      '--force <outcome>',
      'end requests one way, as rate-limited or rate-limited:<operationId>; repeatable',
      collect,
    )
    .option('--scenario <name>', 'start as a scenario says, as quota-nearly-spent')
    .option('--scenarios <folder>', 'further scenarios, each a YAML or JSON file')
    .option('--state <file>', 'go on from the state in a file, and keep it there')
    .option('--worlds <number>', 'worlds that there may be at a time (default: 1000)')
    .option('--latency <time>', 'hold each answer back, 200ms or 100ms..2s (default: 0)')
    .option('--no-quota', 'let requests pass however many there are')
    .option('--no-auth', 'let requests pass without an API key')
    .option('--control-token <token>', 'what other machines must send to steer the sandbox')
    .option('--control-origin <origin>', 'let pages of it steer the sandbox; repeatable', collect)
    .option('--no-control', 'serve no control interface')
    .addOption(
      new Option('--log <kind>', `log of requests (default: ${defaults.log})`).choices([...LOGS]),
    )
    .option('--journal <number>', 'exchanges that the journal keeps (default: 1000)')
    .option(
      '--config <file>',
      'settings as YAML or JSON (default: pet-sandbox.config.yaml, .yml or .json)',
    )
    .option('--allow-remote-refs', 'let the document refer to other servers')
    .option('--allow-outside-refs', 'let the document refer to files outside its folder')
}

async function serve(settings: ServeSettings): Promise<void> {
  const { port, host, log: kind, publicUrl } = settings
  const paint = painter(process.stdout, process.env)
  const { sandbox, state, control, server } = await openServer(settings, process.stdout)
  const origin = await listen(server, host, port)
  // Before the start is told: who reads of it may send a signal at once.
  const stopped = stopOnSignal(server, control?.control)
  const start = { origin, publicUrl, ...(control && { control }) }
  if (state) process.stdout.write(stateLine(state, settings))
  process.stdout.write(kind === 'json' ? startLine(sandbox, start) : welcome(sandbox, start, paint))
  await stopped
  if (state && !(await state.close())) process.exitCode = 1
}

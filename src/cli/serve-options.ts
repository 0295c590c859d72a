import { type Command, Option } from 'commander'
import { AUTH_MODES } from '../access/security-scheme.ts'
import { UNKNOWN_IDS, VALIDATIONS } from '../contract/input.ts'
import { collect } from './collect.ts'
import { addDocumentOptions } from './document-options.ts'
import { LOG_FORMATS, type LogFormat } from './setting-values.ts'

/** Adds the options of a command that serves a sandbox. `defaults` are the defaults that differ between commands. */
export function addServeOptions(
  command: Command,
  defaults: { readonly port: string; readonly log: LogFormat } = { port: '4010', log: 'pretty' },
): Command {
  addServerOptions(command, defaults.port)
  addRecordOptions(command)
  addServiceOptions(command)
  addControlOptions(command)

  command
    .optionsGroup('Output and files:')
    .addOption(
      new Option('--log <format>', `request log (default: ${defaults.log})`).choices([
        ...LOG_FORMATS,
      ]),
    )
    .option('--journal <number>', 'exchanges that the journal keeps (default: 1000)')
    .option('--state <file>', 'restore the state from this file, and save it there')
    .option(
      '--config <file>',
      'settings as YAML or JSON (default: pet-sandbox.config.yaml, .yml or .json)',
    )

  return addDocumentOptions(command.optionsGroup('Document:'))
}

function addServerOptions(command: Command, port: string): void {
  command
    .optionsGroup('Server:')
    .option('--port <number>', `port, or 0 for any free port (default: ${port})`)
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--base-path <path>',
      'path of all operations, for example /v1 (default: from the document)',
    )
    .option('--public-url <url>', 'address for clients behind a proxy; links start with it')
    .option(
      '--trust-proxy <address>',
      'trust X-Forwarded-* headers of this proxy (loopback, 10.0.0.0/8, …); repeatable',
      collect,
    )
}

function addRecordOptions(command: Command): void {
  command
    .optionsGroup('Records:')
    .option(
      '--records <number>',
      'initial records of each collection (default: at most 50), or of one: pets=3; repeatable',
      collect,
    )
    .option(
      '--data <path>',
      'initial records: a JSON or YAML file of arrays by collection, or a folder with a file for each; repeatable',
      collect,
    )
    .option(
      '--locale <name>',
      'language of generated names and places, for example de (default: en)',
    )
    .option('--seed <number>', 'the same seed generates the same records (default: 1)')
    .addOption(
      new Option(
        '--unknown-ids <mode>',
        'ids that no record has: auto answers 404 where the document has one, 404 refuses, create makes a record (default: auto)',
      ).choices([...UNKNOWN_IDS]),
    )
}

function addServiceOptions(command: Command): void {
  command
    .optionsGroup('Behaviour:')
    .option(
      '--plan <name=minute/day>',
      'quota of a plan, for example free=60/1000; repeatable',
      collect,
    )
    .option('--key <key=plan>', 'additional API key, for example my_key=pro; repeatable', collect)
    .option('--no-quota', 'do not limit requests')
    .addOption(
      new Option(
        '--auth <mode>',
        'credentials to accept: keys of the sandbox, any, or off (default: as the document says, else any)',
      ).choices([...AUTH_MODES]),
    )
    .option('--no-auth', 'the same as --auth off')
    .option(
      '--force <outcome>',
      'force an outcome: rate-limited, or rate-limited:<operationId> for one operation; repeatable',
      collect,
    )
    .option('--latency <time>', 'delay each response by 200ms or 100ms..2s (default: 0)')
    .option('--body-limit <size>', 'largest request body, for example 10mb (default: 10 MiB)')
    .addOption(
      new Option(
        '--validation <mode>',
        'invalid requests: error refuses them, warn serves and reports them, off does not check (default: error)',
      ).choices([...VALIDATIONS]),
    )
    .option('--scenario <name>', 'start with a scenario, for example quota-nearly-spent')
    .option('--scenarios <folder>', 'folder with your own scenarios as YAML or JSON files')
}

function addControlOptions(command: Command): void {
  command
    .optionsGroup('Control interface and worlds:')
    .option('--control-token <token>', 'token that control requests from other machines need')
    .option(
      '--control-origin <origin>',
      'allow pages of this origin to control the sandbox; repeatable',
      collect,
    )
    .option('--no-control', 'do not serve the control interface')
    .option('--worlds <number>', 'maximum number of worlds (default: 1000)')
}

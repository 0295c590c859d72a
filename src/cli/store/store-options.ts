import { type Command, Option } from 'commander'

/** Adds the options of a server that shares its state with others, and is monitored. */
export function addStoreOptions(command: Command): Command {
  return command
    .optionsGroup('Shared store:')
    .option(
      '--store <url>',
      'share the state with other servers in Redis or Valkey, for example redis://user:password@host:6379/0',
    )
    .option(
      '--store-prefix <prefix>',
      'what all keys in the store start with (default: pet-sandbox)',
    )
    .addOption(
      new Option('--world-by <what>', 'give each API key a world of its own').choices(['key']),
    )
    .option('--world-ttl <time>', 'drop a world of a key after this time without use (default: 1h)')
    .optionsGroup('Monitoring and stop:')
    .option('--metrics-port <number>', 'serve metrics for Prometheus on this port, without a token')
    .option(
      '--instance <name>',
      'name of this server in its log (default: host name and process id)',
    )
    .option(
      '--drain <time>',
      'after a signal to stop, accept requests for this time while probes say "not ready" (default: 0)',
    )
    .option(
      '--keep-alive <time>',
      'keep a connection without a request open for this time (default: 75s)',
    )
}

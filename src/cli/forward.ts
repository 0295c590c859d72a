import { Command } from 'commander'
import type { Deliver } from '../client/receive.ts'
import type { SentEvent } from '../events/delivery.ts'
import { requireAddress } from '../events/event-settings.ts'
import { ADDRESS_TEXT, addSandboxOptions, runVerb, type VerbAction } from './ctl/run-verb.ts'
import { stopSignal } from './listen.ts'
import { printable, toJsonLine } from './terminal.ts'

const NOTES = `
The receiver gets every event, as with "serve --webhook", as long as the command runs. The sandbox learns what it answers, repeats what it did not
accept, and reports on it.

Examples:
  pet-sandbox listen https://sandbox.example.com --token secret --forward-to http://127.0.0.1:3000/hooks
  pet-sandbox ctl trigger order.cancelled                  in another terminal`

interface Options {
  readonly forwardTo: string
  readonly json?: true
}

/** `pet-sandbox listen`: a receiver on this machine gets the events of a sandbox elsewhere. */
export function listenCommand(): Command {
  const command = new Command('listen')
    .description('send the webhooks of a sandbox elsewhere to a receiver on this machine')
    .argument('[url]', ADDRESS_TEXT)
    .requiredOption('--forward-to <address>', 'address of the receiver')

  return addSandboxOptions(command, {
    world: 'world whose events are sent',
    json: 'print each delivery as JSON',
  })
    .addHelpText('after', NOTES)
    .action(async (url: string | undefined, options: Options, command: Command) => {
      requireAddress(options.forwardTo, 'use the option --forward-to')
      await runVerb(command, forward(options), url)
    })
}

/** Sends each event to the receiver until Ctrl+C, and prints what it has answered. */
function forward({ forwardTo, json }: Options): VerbAction {
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  const deliver: Deliver = async (request, event) => {
    const started = performance.now()
    const print = (result: object | string, status?: number): void => {
      const duration = Math.round(performance.now() - started)
      if (json) write(toJsonLine({ event, duration, ...(status ? { status } : { error: result }) }))
      else write(printable(`${describe(event)}: ${status ?? result} (${duration} ms)`))
    }
    try {
      const response = await fetch(request)
      print(response, response.status)
      return response
    } catch (error) {
      const { code, message } = Object(Object(error).cause ?? error)
      print(String(code ?? message))
      throw error
    }
  }
  return async (client) => {
    const { secret, stop } = await client.events.receive(forwardTo, deliver)
    if (json) write(toJsonLine({ forwardTo, secret }))
    else
      write(`Sends events to ${printable(forwardTo)}, signed with ${secret}. Press Ctrl+C to stop.`)
    await stopSignal()
    stop()
    return undefined
  }
}

function describe({ type, record }: SentEvent): string {
  return record === undefined ? type : `${type} ${record}`
}

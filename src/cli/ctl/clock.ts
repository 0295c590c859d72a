import type { Command } from 'commander'
import type { ClientClock } from '../../client/sandbox-client.ts'
import { MOVED_BACK_NOTE } from '../../control/handlers.ts'
import { durationOf } from '../../time/duration.ts'
import { rejectUnknownVerb, runVerb, type VerbResult } from './run-verb.ts'

interface Time {
  readonly now: string
  readonly frozen: boolean
}

/** Adds `ctl clock` and its verbs. */
export function addClock(ctl: Command): void {
  const clock = ctl
    .command('clock')
    .description('show or change the time of the sandbox')
    .usage('[verb]')
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      const verbs = command.commands.map((verb) => verb.name())
      rejectUnknownVerb(command.args, verbs)
      return runVerb(command, ({ clock: time }) => timeResult(time))
    })
  clock
    .command('advance')
    .description('move the clock forward by 61s, 1h30m or PT61S, or back by -61s')
    .argument('<duration>', 'a duration, or milliseconds')
    // An argument with a minus sign is a negative duration and not an option.
    .allowUnknownOption()
    .action((duration: string, _options: object, command: Command) =>
      move(command, (time) => time.advance(durationOf(duration))),
    )
  clock
    .command('set')
    .description('set the clock and freeze it')
    .argument('<instant>', 'for example 2030-12-05T00:00:00Z or 2030-12-05')
    .action((instant: string, _options: object, command: Command) =>
      move(command, (time) => time.set(instant)),
    )
  clock
    .command('freeze')
    .description('stop the clock')
    .action((_options: object, command: Command) => move(command, (time) => time.freeze()))
  clock
    .command('resume')
    .description('let the clock run again')
    .action((_options: object, command: Command) => move(command, (time) => time.resume()))
  addJumps(clock)
}

function addJumps(clock: Command): void {
  clock
    .command('to-reset')
    .description('move the clock to the end of the quota windows that a key has exhausted')
    .argument('<key>', 'an API key')
    .action((key: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToReset(key)),
    )
  clock
    .command('to-ban-end')
    .description('move the clock to the end of the ban of a key')
    .argument('<key>', 'an API key')
    .action((key: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToBanEnd(key)),
    )
  clock
    .command('to-removal')
    .description('move the clock to the removal of a deprecated operation')
    .argument('<operation>', 'the operationId')
    .action((operation: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToRemoval(operation)),
    )
}

function move(command: Command, change: (time: ClientClock) => Promise<void>): Promise<void> {
  return runVerb(command, async ({ clock }) => {
    const before = await clock.now()
    await change(clock)
    const { value, lines } = await timeResult(clock)
    const isBack = Date.parse(value.now) < before

    return isBack
      ? { value: { ...value, note: MOVED_BACK_NOTE }, lines: [...lines, MOVED_BACK_NOTE] }
      : { value, lines }
  })
}

async function timeResult(clock: ClientClock): Promise<VerbResult & { readonly value: Time }> {
  const now = new Date(await clock.now()).toISOString()
  const frozen = await clock.isFrozen()

  return { value: { now, frozen }, lines: [`${now}, ${frozen ? 'frozen' : 'running'}`] }
}

import type { Command } from 'commander'
import type { ClientClock } from '../../client/clock.ts'
import { BACK } from '../../control/clock.ts'
import { durationOf } from '../../time/duration.ts'
import { type Report, steer } from './steer.ts'
import { refuseVerb } from './words.ts'

interface Time {
  readonly now: string
  readonly frozen: boolean
}

/** `ctl clock`, with its verbs. */
export function addClock(ctl: Command): void {
  const clock = ctl
    .command('clock')
    .description('show the time, or move it')
    .usage('[verb]')
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      const verbs = command.commands.map((verb) => verb.name())
      refuseVerb(command.args, verbs)
      return steer(command, ({ clock: time }) => tellTime(time))
    })
  clock
    .command('advance')
    .description('move it on by 61s, 1h30m or PT61S; back by -61s')
    .argument('<duration>', 'a duration, or milliseconds')
    // What begins with a minus sign is a duration here, too.
    .allowUnknownOption()
    .action((duration: string, _options: object, command: Command) =>
      move(command, (time) => time.advance(durationOf(duration))),
    )
  clock
    .command('set')
    .description('move it to a moment, and stop it there')
    .argument('<instant>', 'as 2030-12-05T00:00:00Z or 2030-12-05')
    .action((instant: string, _options: object, command: Command) =>
      move(command, (time) => time.set(instant)),
    )
  clock
    .command('freeze')
    .description('stop it where it is')
    .action((_options: object, command: Command) => move(command, (time) => time.freeze()))
  clock
    .command('resume')
    .description('let it run on from where it is')
    .action((_options: object, command: Command) => move(command, (time) => time.resume()))
  addJumps(clock)
}

function addJumps(clock: Command): void {
  clock
    .command('to-reset')
    .description('move it to when a key has requests again')
    .argument('<key>', 'an API key')
    .action((key: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToReset(key)),
    )
  clock
    .command('to-ban-end')
    .description('move it to when the ban of a key ends')
    .argument('<key>', 'an API key')
    .action((key: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToBanEnd(key)),
    )
  clock
    .command('to-removal')
    .description('move it to when a deprecated operation is removed')
    .argument('<operation>', "the operation's name")
    .action((operation: string, _options: object, command: Command) =>
      move(command, (time) => time.advanceToRemoval(operation)),
    )
}

function move(command: Command, deed: (time: ClientClock) => Promise<void>): Promise<void> {
  return steer(command, async ({ clock }) => {
    const before = await clock.now()
    await deed(clock)
    const { value, lines } = await tellTime(clock)
    const isBack = Date.parse(value.now) < before

    return isBack ? { value: { ...value, note: BACK }, lines: [...lines, BACK] } : { value, lines }
  })
}

async function tellTime(clock: ClientClock): Promise<Report & { readonly value: Time }> {
  const now = new Date(await clock.now()).toISOString()
  const frozen = await clock.isFrozen()

  return { value: { now, frozen }, lines: [`${now}, ${frozen ? 'frozen' : 'running'}`] }
}

import type { ClientClock } from '../../client/sandbox-client.ts'
import { type ClockState, MOVED_BACK_NOTE } from '../../control/outputs.ts'
import { durationOf } from '../../time/duration.ts'
import type { VerbAction, VerbResult, Verbs } from './run-verb.ts'

const KEY = { '<key>': 'an API key' }

/** `ctl clock` and its verbs. */
export const clock: Verbs = {
  clock: {
    description: 'show or change the time of the sandbox',
    usage: '[verb]',
    run: () => (client) => timeResult(client.clock),
    verbs: {
      advance: {
        description: 'move the clock forward by 61s, 1h30m or PT61S, or back by -61s',
        arguments: { '<duration>': 'a duration, or milliseconds' },
        takesNegative: true,
        run: (duration: string) => move((time) => time.advance(durationOf(duration))),
      },
      set: {
        description: 'set the clock and freeze it',
        arguments: { '<instant>': 'for example 2030-12-05T00:00:00Z or 2030-12-05' },
        run: (instant: string) => move((time) => time.set(instant)),
      },
      freeze: { description: 'stop the clock', run: () => move((time) => time.freeze()) },
      resume: {
        description: 'let the clock run again',
        run: () => move((time) => time.resume()),
      },
      'to-reset': {
        description: 'move the clock to the end of the quota windows that a key has exhausted',
        arguments: KEY,
        run: (key: string) => move((time) => time.advanceToReset(key)),
      },
      'to-ban-end': {
        description:
          'move the clock to the end of the ban of a key; without a rule, nobody is banned',
        arguments: KEY,
        run: (key: string) => move((time) => time.advanceToBanEnd(key)),
      },
      'to-removal': {
        description: 'move the clock to the removal of a deprecated operation',
        arguments: { '<operation>': 'the operationId' },
        run: (operation: string) => move((time) => time.advanceToRemoval(operation)),
      },
    },
  },
}

function move(change: (time: ClientClock) => Promise<void>): VerbAction {
  return async ({ clock: time }) => {
    const before = await time.now()
    await change(time)
    const { value, lines } = await timeResult(time)
    if (Date.parse(value.now) >= before) return { value, lines }
    return { value: { ...value, note: MOVED_BACK_NOTE }, lines: [...lines, MOVED_BACK_NOTE] }
  }
}

async function timeResult(time: ClientClock): Promise<VerbResult & { readonly value: ClockState }> {
  const now = new Date(await time.now()).toISOString()
  const frozen = await time.isFrozen()

  return { value: { now, frozen }, lines: [`${now}, ${frozen ? 'frozen' : 'running'}`] }
}

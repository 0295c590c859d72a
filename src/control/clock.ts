import type { Inputs } from '../generated/control-types.ts'
import { json } from '../http/message.ts'
import type { World } from '../sandbox/world.ts'
import { durationOf } from '../time/duration.ts'
import type { Handlers } from './call.ts'
import { withLocation } from './field-errors.ts'

type Move = Inputs['moveClock']['body']

/** The note in the response to a move back. */
export const MOVED_BACK_NOTE: string =
  'The clock moved back. Quota windows start again, with no requests counted. Bans still end at the same time.'

/** Handlers for the clock. */
export const clock: Handlers<'getClock' | 'moveClock'> = {
  getClock: ({ world }) => json(200, toClockState(world)),

  moveClock: ({ world, input }) => {
    const before = world.clock.now()
    const [field = ''] = Object.keys(input.body)
    withLocation(`body.${field}`, () => move(world.clock, input.body))
    const isBack = world.clock.now() < before

    return json(200, { ...toClockState(world), ...(isBack && { note: MOVED_BACK_NOTE }) })
  },
}

/** Moves the clock as the body says. The schema allows exactly one kind of move. */
function move(time: World['clock'], to: Move): void {
  if (to.set !== undefined) time.set(to.set)
  if (to.advance !== undefined) time.advance(durationOf(to.advance))
  if (to.freeze) time.freeze()
  if (to.resume) time.resume()
  if (to.advanceToReset !== undefined) time.advanceToReset(to.advanceToReset)
  if (to.advanceToBanEnd !== undefined) time.advanceToBanEnd(to.advanceToBanEnd)
  if (to.advanceToRemoval !== undefined) time.advanceToRemoval(to.advanceToRemoval)
}

function toClockState({ clock: time }: World): object {
  return { now: new Date(time.now()).toISOString(), frozen: time.isFrozen }
}

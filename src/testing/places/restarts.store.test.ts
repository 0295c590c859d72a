import { afterEach } from 'vitest'
import { stopCommands } from '../command.ts'
import { describePlaces } from './describe-places.ts'
import { RESTARTED } from './processes.ts'

afterEach(stopCommands)

describePlaces([RESTARTED], { random: 0 })

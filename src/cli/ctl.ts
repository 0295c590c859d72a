import { Command } from 'commander'
import { access, accounts } from './ctl/access.ts'
import { clock } from './ctl/clock.ts'
import { deliveries } from './ctl/deliveries.ts'
import { journal } from './ctl/journal.ts'
import { outcomes, scenarios } from './ctl/outcomes.ts'
import { records } from './ctl/records.ts'
import { ADDRESS_TEXT, addSandboxOptions, addVerbs } from './ctl/run-verb.ts'
import { signIn } from './ctl/sign-in.ts'
import { lifecycle, worlds } from './ctl/worlds.ts'

const NOTES = `
Examples:
  pet-sandbox ctl clock advance 61s                        a minute's quota is available again
  pet-sandbox ctl force rate-limited --operation listPets --times 2
  pet-sandbox ctl force createPet --status 400 --field name='is taken'
  pet-sandbox ctl records pets --where status=sold --limit 5
  pet-sandbox ctl records change pets 1 status=sold
  pet-sandbox ctl --world checkout-7 reset                 reset only one world
  pet-sandbox ctl journal --status 4xx --follow            follow rejected requests
  pet-sandbox ctl keys --json | jq -r '.[].key'

Exit codes:
  0  done
  1  the sandbox refused the command or cannot be reached
  2  wrong usage`

/** `pet-sandbox ctl`: controls a running sandbox. */
export function ctlCommand(): Command {
  const ctl: Command = new Command('ctl')
    .description(
      'control a running sandbox: clock, outcomes, records, keys, worlds, journal, webhooks, sign-in',
    )
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      // The options of a verb such as `records` do not apply to its subcommands.
      visibleGlobalOptions: (command) => [
        ...(command === ctl ? [] : ctl.options),
        ...(ctl.parent?.options ?? []),
      ],
    })
    .option('--url <address>', ADDRESS_TEXT)
  addSandboxOptions(ctl, { world: 'world to control', json: 'print the result as JSON' })
  ctl.addHelpText('after', NOTES)
  const all = [
    ...[lifecycle, clock, outcomes, scenarios, records, access, accounts, worlds, journal],
    ...[deliveries, signIn],
  ]
  for (const verbs of all) addVerbs(ctl, verbs)

  return ctl
}

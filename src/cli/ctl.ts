import { Command, Option } from 'commander'
import { addAccess } from './ctl/access.ts'
import { addClock } from './ctl/clock.ts'
import { addJournal } from './ctl/journal.ts'
import { addOutcomes, addScenarios } from './ctl/outcomes.ts'
import { addRecords } from './ctl/records.ts'
import { addWhole, addWorlds } from './ctl/whole.ts'

const NOTES = `
Examples:
  pet-sandbox ctl clock advance 61s                        the windows of a minute are new
  pet-sandbox ctl clock advance -61s                       and back again
  pet-sandbox ctl force rate-limited --operation listPets --times 2
  pet-sandbox ctl records pets --where status=sold --limit 5
  pet-sandbox ctl records change pets 1 status=sold
  pet-sandbox ctl --world checkout-7 reset                 one world alone
  pet-sandbox ctl journal --status 4xx --follow            what is refused, as it happens
  pet-sandbox ctl keys --json | jq -r '.[].key'

Exit codes: 0 done, 1 the sandbox refused it or cannot be reached, 2 wrong usage.`

/** `pet-sandbox ctl`: steers a sandbox that runs already. */
export function ctlCommand(): Command {
  const ctl: Command = new Command('ctl')
    .description('steer a sandbox that runs: clock, outcomes, records, keys, worlds, journal')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({
      showGlobalOptions: true,
      // Options of a verb, as of `records`, do not apply to the verbs below it.
      visibleGlobalOptions: (command) => [
        ...(command === ctl ? [] : ctl.options),
        ...(ctl.parent?.options ?? []),
      ],
    })
    .addOption(
      new Option(
        '--url <address>',
        "the sandbox's address (default: PET_SANDBOX_URL, else the host and port that serve would take)",
      ),
    )
    .addOption(
      new Option('--token <token>', 'its token, where this is another machine').env(
        'PET_SANDBOX_CONTROL_TOKEN',
      ),
    )
    .option(
      '--config <file>',
      'where host and port are (default: pet-sandbox.config.yaml, .yml or .json)',
    )
    .option('--world <name>', 'the world to steer, by any text; the default one when left out')
    .option('--json', 'tell what came of it as JSON, for programs')
    .addHelpText('after', NOTES)
  addWhole(ctl)
  addClock(ctl)
  addOutcomes(ctl)
  addScenarios(ctl)
  addRecords(ctl)
  addAccess(ctl)
  addWorlds(ctl)
  addJournal(ctl)

  return ctl
}

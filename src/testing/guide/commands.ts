import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'

/** Every command of the program, with its full name: `pet-sandbox ctl clock advance`. */
export function allCommands(program: Command = createProgram()): readonly Command[] {
  return [program, ...program.commands.flatMap((command) => allCommands(command))]
}

export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()
}

/** The options that the command shows in its help, such as `--port`. */
export function optionsOf(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => long ?? [])
}

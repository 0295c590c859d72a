export { petSandbox, type SandboxPluginOptions } from './cli/vite-plugin.ts'

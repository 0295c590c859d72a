import { petSandbox } from 'pet-sandbox/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [petSandbox({ overlays: ['sandbox.overlay.yaml'] })],
})

import DefaultTheme from 'vitepress/theme';
import type { App } from 'vue';
import LiveEngine from '../live/LiveEngine.vue';
import LiveHeat from '../live/LiveHeat.vue';
import LiveMachine from '../live/LiveMachine.vue';
import LiveMatrix from '../live/LiveMatrix.vue';
import LiveRecords from '../live/LiveRecords.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: App }) {
    const components = { LiveEngine, LiveHeat, LiveMachine, LiveMatrix, LiveRecords };
    for (const [name, component] of Object.entries(components)) app.component(name, component);
  },
};

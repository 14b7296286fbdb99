import DefaultTheme from 'vitepress/theme';
import type { App } from 'vue';
import LiveEngine from '../live/LiveEngine.vue';
import LiveHeat from '../live/LiveHeat.vue';
import LiveMachine from '../live/LiveMachine.vue';
import LiveMatrix from '../live/LiveMatrix.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }: { app: App }) {
    for (const [name, component] of Object.entries({ LiveEngine, LiveHeat, LiveMachine, LiveMatrix }))
      app.component(name, component);
  },
};

import { createApp } from 'vue';
import ElementPlus from 'element-plus';
import 'element-plus/dist/index.css';
createApp({
  data: () => ({ size: '', tags: [], place: [], date: '', on: false }),
  watch: { $data: { deep: true, immediate: true, handler(d) { window.appState = JSON.parse(JSON.stringify(d)); } } },
  template: `<main><h1>Element Plus</h1><el-form label-width="100px">
    <el-form-item label="Size"><el-select v-model="size" aria-label="Size" style="width: 200px"><el-option v-for="s in ['Small','Medium','Large']" :key="s" :label="s" :value="s" /></el-select></el-form-item>
    <el-form-item label="Tags"><el-select v-model="tags" multiple aria-label="Tags" style="width: 300px"><el-option v-for="s in ['red','green','blue']" :key="s" :label="s" :value="s" /></el-select></el-form-item>
    <el-form-item label="Place"><el-cascader v-model="place" aria-label="Place" :options="[{value:'guangdong',label:'Guangdong',children:[{value:'shenzhen',label:'Shenzhen'},{value:'foshan',label:'Foshan'}]}]" /></el-form-item>
    <el-form-item label="Date"><el-date-picker v-model="date" aria-label="Date" value-format="YYYY-MM-DD" type="date" /></el-form-item>
    <el-form-item label="Notify"><el-switch v-model="on" aria-label="Notify" /></el-form-item></el-form></main>`,
}).use(ElementPlus).mount('#app');
